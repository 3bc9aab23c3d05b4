// A plugin that gives slow hosts time to rest. It binds the law to hooks; its memory is saved with every page.
import { definePlugin, type Plugin } from 'avocet'
import { restsUntil } from './__name__-law.ts'

/** Leaves a host alone for `factor` times as long as its last answer took. */
export function __camelName__({ factor = 10 }: { readonly factor?: number } = {}): Plugin {
  return definePlugin({
    name: '__name__',
    outsideEffects: false,
    hostMemory: () => ({ restsUntil: 0 }),
    admit: (ask, host) => ask.notBefore(host.restsUntil, 'it rests after its last answer'),
    onResponse({ now, response }, host) {
      host.restsUntil = restsUntil(now, response.timings.firstByteMs, factor)
    },
  })
}
