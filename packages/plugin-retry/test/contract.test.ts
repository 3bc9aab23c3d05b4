// The retry plugin is a plugin like any other.
import { pluginContract } from '@avocet/testkit/contracts'
import { retry } from '../src/index.ts'

pluginContract('retry', () => retry())
pluginContract('retry of every method, once', () => retry({ maxAttempts: 2, retryUnsafe: true }))
