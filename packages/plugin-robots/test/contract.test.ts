// The plugin keeps the promises of all plugins.
import { pluginContract } from '@avocet/testkit/contracts'
import { robots } from '@avocet/plugin-robots'

pluginContract('robots', () => robots())
