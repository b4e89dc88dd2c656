# frozen_string_literal: true

require 'json'
require 'net/http'

# A client of the platform, as a team might have it: it issues a query, and sends one that got 503 again.
class Reports
  # The url is the base address of the interface core, such as http://127.0.0.1:4010/core/v3.
  def initialize(url, key)
    @url = url
    @key = key
  end

  # Returns the id of the job.
  def issue(query, attempts: 3)
    headers = { 'Authorization' => "SVC1 #{@key}", 'Content-Type' => 'application/json' }
    (1..attempts).each do |attempt|
      response = Net::HTTP.post(URI("#{@url}/job/issue/trino/shop"), { query: query }.to_json, headers)
      return JSON.parse(response.body)['job_id'] if response.is_a?(Net::HTTPOK)
      raise "core answered #{response.code}" if response.code != '503' || attempt == attempts

      sleep Integer(response['Retry-After'] || '1')
    end
  end
end
