// Sabotage: core itself waits out a Retry-After under every rate policy, so a test that wants one broken reaches into its memory.
import { definePlugin, type Plugin } from '@avocet/core'
import type { HostView } from '@avocet/core/plugin'

/** Forgets at once until when a host asked not to be requested. */
export const forgetful: Plugin = definePlugin({
  name: 'forgetful',
  onResponse({ exchange }) {
    const { core } = exchange.host as HostView & { readonly core: { askedUntil?: number } }
    delete core.askedUntil
  },
})
