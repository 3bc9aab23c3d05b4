// The journal is a plugin like any other.
import { pluginContract } from '@avocet/testkit/contracts'
import { journal } from '../src/index.ts'

pluginContract('journal', () => journal())
