// Every metric: its type, and what it says. docs/reference/metrics.md has this table too, and a test holds the two together.

/** By name. Counters of a crawl begin at 0 with each run. */
export const CATALOGUE = {
  avocet_build_info: { type: 'info', help: 'Version of Avocet and of Node.js' },
  avocet_crawl_info: { type: 'info', help: 'Name of the crawl' },
  avocet_crawl_start_time_seconds: { type: 'gauge', help: 'When this run began, in seconds since 1970' },
  avocet_crawl_phase: { type: 'gauge', help: '1 for the phase of the run: opening, running, paused, draining or closed' },
  avocet_crawl_paused: {
    type: 'gauge',
    help: '1 for what pauses the whole crawl: its user, an operator, the store or this machine',
  },

  avocet_pages_total: { type: 'counter', help: 'Pages that a handler accepted and that are in the store' },
  avocet_requests_total: { type: 'counter', help: 'Requests that were sent' },
  avocet_responses_total: { type: 'counter', help: 'Answers, by class of status' },
  avocet_refusals_total: { type: 'counter', help: 'Answers 429 and 503' },
  avocet_failures_total: { type: 'counter', help: 'Attempts that failed without an answer, by reason' },
  avocet_retries_total: { type: 'counter', help: 'Attempts after which a request waits for another one' },
  avocet_redirects_total: { type: 'counter', help: 'Redirects that were followed' },
  avocet_given_up_requests_total: {
    type: 'counter',
    help: 'Visits of this run that failed for good: a page that is visited again may fail more than once',
  },
  avocet_received_bytes_total: { type: 'counter', help: 'Bytes of bodies as they came over the wire' },
  avocet_response_duration_seconds: { type: 'histogram', help: 'Time of an answer, from connecting to the end of its body' },
  avocet_items_total: { type: 'counter', help: 'Items that were committed' },
  avocet_dropped_items_total: { type: 'counter', help: 'Items that a plugin dropped' },
  avocet_rejected_items_total: { type: 'counter', help: 'Items that the schema refused' },
  avocet_held_items_total: { type: 'counter', help: 'Items that plugins held' },
  avocet_changes_total: { type: 'counter', help: 'Changes of watched items' },
  avocet_handled_pages_total: { type: 'counter', help: 'Visits to pages that were handled, lost or unchanged' },
  avocet_lost_pages_total: { type: 'counter', help: 'Of those, lost to an error in the handler, the schema or onItem' },
  avocet_missed_visits_total: {
    type: 'counter',
    help: 'Visits that were left out, because the one before came after they were due',
  },
  avocet_round_due_visits: { type: 'gauge', help: 'Visits that were due in the last round, by its interval in seconds' },
  avocet_round_made_visits: { type: 'gauge', help: 'Of those, the ones that were made' },
  avocet_spoiled_pages_total: { type: 'counter', help: 'Pages that were lost to what their handler yielded' },
  avocet_links_total: { type: 'counter', help: 'Links that handlers yielded, and targets of redirects' },
  avocet_new_links_total: { type: 'counter', help: 'Links that were new to the crawl' },
  avocet_refused_links_total: { type: 'counter', help: 'Links that were not followed: out of scope, or refused by a plugin' },
  avocet_plugin_errors_total: { type: 'counter', help: 'Errors in plugins' },
  avocet_store_commit_duration_seconds: { type: 'histogram', help: 'Time of a commit to the store, of a group of pages' },

  avocet_known_requests: { type: 'gauge', help: 'Requests that this command knows of, of all runs' },
  avocet_waiting_requests: { type: 'gauge', help: 'Of those, the ones that wait' },
  avocet_settled_requests: { type: 'gauge', help: 'Of those, the ones that are done, moved or failed' },
  avocet_stored_items: { type: 'gauge', help: 'Items in the store, of all runs' },
  avocet_in_flight_requests: { type: 'gauge', help: 'Requests in flight' },
  avocet_slots: { type: 'gauge', help: 'Slots for requests in flight, used and free' },
  avocet_running_handlers: { type: 'gauge', help: 'Pages that are in their handler' },
  avocet_connections: { type: 'gauge', help: 'Open connections, busy and idle' },
  avocet_hosts: {
    type: 'gauge',
    help: 'Hosts of the store by what they are like: fine, slow, paused, refusing, blocked, unreachable or broken layout, as of avocet hosts',
  },

  avocet_sink_written_items: { type: 'gauge', help: 'Items that a sink has, of all runs' },
  avocet_sink_behind_items: { type: 'gauge', help: 'Items that a sink still lacks' },
  avocet_sink_set_aside_items: { type: 'gauge', help: 'Items that a sink cannot take' },
  avocet_sink_failing: { type: 'gauge', help: '1 while a sink fails' },

  avocet_process_heap_bytes: { type: 'gauge', help: 'Used heap of JavaScript' },
  avocet_event_loop_delay_p50_seconds: {
    type: 'gauge',
    help: 'Median delay of the event loop since the last scrape',
  },
  avocet_event_loop_delay_p99_seconds: { type: 'gauge', help: 'The same, 99th percentile' },
  avocet_event_loop_delay_max_seconds: { type: 'gauge', help: 'The same, longest' },

  process_cpu_seconds_total: { type: 'counter', help: 'CPU time of the process that is scraped' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of the process that is scraped' },
  process_open_fds: { type: 'gauge', help: 'Its open file descriptors' },
  process_max_fds: { type: 'gauge', help: 'The most that it may open' },
  process_start_time_seconds: { type: 'gauge', help: 'When it was started, in seconds since 1970' },
} as const

/** The name of a metric. */
export type MetricName = keyof typeof CATALOGUE
