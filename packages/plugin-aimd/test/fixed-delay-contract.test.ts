// The built-in fixed delay is a plugin like any other, and passes the contract of plugins.
import { fixedDelay } from 'avocet'
import { pluginContract } from '@avocet/testkit/contracts'

pluginContract('fixed-delay', () => fixedDelay({ delayMs: 300, maxInFlight: 2 }))
