// A reader that outlives closing and opening: at each call it asks for the one to use.

/** Of a store that may be closed and opened again; `current` throws while it is closed. `close` does nothing: whoever opened the store closes it. */
import type { FrontierReader } from '@avocet/core/store'
export function lastingReader(current: () => FrontierReader): FrontierReader {
  return {
    info: async () => current().info(),
    counts: async () => current().counts(),
    crawlMemories: async () => current().crawlMemories(),
    orders: async (after) => current().orders(after),
    hosts: async (page) => current().hosts(page),
    host: async (hostKey) => current().host(hostKey),
    memories: async (page) => current().memories(page),
    history: async (url) => current().history(url),
    requests: async (query) => current().requests(query),
    probation: async (page) => current().probation(page),
    failures: async () => current().failures(),
    handlerErrors: async () => current().handlerErrors(),
    rejects: async (query) => current().rejects(query),
    rejectGroups: async () => current().rejectGroups(),
    items: async (page) => current().items(page),
    visits: async (query) => current().visits(query),
    records: async (page) => current().records(page),
    table: async (page) => current().table(page),
    sinks: async () => current().sinks(),
    close: async () => {},
  }
}
