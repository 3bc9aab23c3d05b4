// The breaker is a plugin like any other, under each of its laws.
import { pluginContract } from '@avocet/testkit/contracts'
import { breaker } from '../src/index.ts'

pluginContract('breaker', () => breaker())
pluginContract('breaker, law consecutive', () => breaker({ law: 'consecutive' }))
