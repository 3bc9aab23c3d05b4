// The retry plugin is a plugin like any other.
import { pluginContract } from '@avocet/testkit/contracts'
import { retry } from '../src/index.ts'

pluginContract('retry', () => retry())
pluginContract('retry, also of handlers', () => retry({ maxAttempts: 2, maxHandlerAttempts: 3, retryUnsafe: true }))
