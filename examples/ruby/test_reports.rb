# frozen_string_literal: true

require 'minitest/autorun'
require_relative 'mock'
require_relative 'reports'

class TestReports < Minitest::Test
  def setup
    @world = World.new
    @reports = Reports.new(@world.core, @world.key)
  end

  def test_a_query_is_issued_once
    assert_match(/^\d+$/, @reports.issue('SELECT 1'))
    assert_equal({ 'core.issueJob' => 1 }, @world.calls)
  end

  def test_a_query_that_got_503_is_sent_again
    @world.fault(operation: 'core.issueJob', first: 1, status: 503, retryAfter: '1s')
    assert_match(/^\d+$/, @reports.issue('SELECT 1'))
    assert_equal({ 'core.issueJob' => 2 }, @world.calls)
  end

  def test_it_gives_up
    @world.fault(operation: 'core.issueJob', status: 503, headers: { 'Retry-After' => '0' })
    assert_match(/503/, assert_raises(RuntimeError) { @reports.issue('SELECT 1') }.message)
    assert_equal({ 'core.issueJob' => 3 }, @world.calls)
  end
end
