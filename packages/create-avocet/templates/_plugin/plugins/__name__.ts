// A plugin that gives slow hosts time to rest. It binds the law to hooks; its memory is saved with every page.
import { definePlugin, rewound, type Plugin } from '@avocet/core'
import { restsUntil } from './__name__-law.ts'

/** Leaves a host alone for `factor` times as long as its last answer took. */
export function __camelName__({ factor = 10 }: { readonly factor?: number } = {}): Plugin {
  return definePlugin({
    name: '__name__',
    hostMemory: () => ({ restsUntil: 0 }),
    // The clock was ahead when this was written, and has been corrected: the rest must not last as much longer.
    rewindHost: (host, byMs) => ({ ...host, restsUntil: rewound(host.restsUntil, byMs) }),
    admit: (ask, host) => ask.notBefore(host.restsUntil, 'it rests after its last answer'),
    onResponse({ now, response }, host) {
      host.restsUntil = restsUntil(now, response.timings.firstByteMs, factor)
    },
  })
}
