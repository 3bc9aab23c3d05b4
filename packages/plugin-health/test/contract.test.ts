// The plugin keeps the promises of all plugins.
import { pluginContract } from '@avocet/testkit/contracts'
import { health } from '@avocet/plugin-health'

pluginContract('health', () => health())
