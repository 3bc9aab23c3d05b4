// The promises of every plugin.
import { pluginContract } from '@avocet/testkit/contracts'
import { cookies } from '../src/index.ts'

pluginContract('cookies', () => cookies())
