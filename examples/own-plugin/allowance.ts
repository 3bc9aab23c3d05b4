// A plugin: no host gives more than so many bytes an hour. What is used up comes back with the next hour.
import { definePlugin, type Plugin } from 'avocet'

const HOUR_MS = 3_600_000

/** Holds a host that has given `bytesPerHour`, until the hour is over that began with its first page. */
export function allowance({ bytesPerHour }: { readonly bytesPerHour: number }): Plugin {
  return definePlugin({
    name: 'allowance',
    outsideEffects: false,
    hostMemory: () => ({ hourFrom: 0, bytes: 0 }),
    admit(ask, host) {
      if (host.bytes >= bytesPerHour) ask.notBefore(host.hourFrom + HOUR_MS, 'its allowance of the hour is used up')
    },
    onResponse({ response, now }, host) {
      const hourIsOver = now >= host.hourFrom + HOUR_MS
      if (hourIsOver) host.hourFrom = now
      host.bytes = response.wireBytes + (hourIsOver ? 0 : host.bytes)
    },
  })
}
