// The built-in politeness is a plugin like any other, and passes the contract of plugins.
import { pluginContract } from '@avocet/testkit/contracts'
import { politeness } from '../../src/hooks/politeness.ts'

pluginContract('politeness', () => ({ ...politeness({ delayMs: 300, maxPerHost: 2 }), paces: true }))
