# frozen_string_literal: true

require 'json'
require 'net/http'

# One mock for all tests.
module Mock
  def self.ready
    @ready ||= begin
      out = IO.popen(%w[understudy serve --listen 127.0.0.1:0 --log-level warn])
      Minitest.after_run do
        Process.kill('TERM', out.pid)
        out.close
      end
      JSON.parse(out.gets) # comes when the mock can answer
    end
  end
end

# A world for one test, which sees nothing of what others do.
class World
  attr_reader :core, :key

  def initialize
    @core = Mock.ready['interfaces']['core']
    @control = "#{Mock.ready['control']}/worlds"
    made = post('', scenario: 'quickstart', mintKeys: true)
    @key = made['keys']['admin'] # a client with this key is in this world
    @control += "/#{made['id']}"
  end

  def fault(**fault) = post('/faults', fault)

  def calls = JSON.parse(Net::HTTP.get(URI("#{@control}/journal/counts")))['operations']

  private

  def post(path, body)
    response = Net::HTTP.post(URI(@control + path), body.to_json, 'Content-Type' => 'application/json')
    raise response.body unless response.is_a?(Net::HTTPSuccess)

    JSON.parse(response.body)
  end
end
