// The plugin keeps the promises of all plugins.
import { pluginContract } from '@avocet/testkit/contracts'
import { traps } from '@avocet/plugin-traps'

pluginContract('traps', () => traps())
