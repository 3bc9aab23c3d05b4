// The built-in fixed delay is a plugin like any other, and passes the contract of plugins. So do limits that hosts share.
import { fixedDelay } from 'avocet'
import { sharedLimits } from '@avocet/plugin-aimd/shared-limits'
import { pluginContract } from '@avocet/testkit/contracts'

pluginContract('fixed-delay', () => fixedDelay({ delayMs: 300, maxInFlight: 2 }))
pluginContract('limits', () => sharedLimits([{ match: '*', share: true, maxRps: 5 }]).plugin)
