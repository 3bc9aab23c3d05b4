// The web as servers with a clock answer: with the date by their own clock, which is right, whatever the clock of the crawler says (RFC 9110 §6.6.1).
import type { Clock, Fetcher } from '@avocet/core/store'

/** `web` with a Date in every answer. */
export function datedWeb(web: Fetcher, clock: Clock): Fetcher {
  return {
    fetch: (outbound, receiver) => {
      let date = ''
      return web.fetch(outbound, {
        sent: () => receiver.sent(),
        headers: ({ status, headers }) => {
          date = new Date(clock.now()).toUTCString()
          return receiver.headers({ status, headers: { ...headers, date } })
        },
        done: (response) => receiver.done({ ...response, headers: { ...response.headers, date } }),
        failed: (failed) => receiver.failed(failed),
      })
    },
    close: () => web.close(),
  }
}
