// The plugin keeps the promises of all plugins.
import { pluginContract } from '@avocet/testkit/contracts'
import { sitemaps } from '@avocet/plugin-sitemaps'

pluginContract('sitemaps', () => sitemaps())
