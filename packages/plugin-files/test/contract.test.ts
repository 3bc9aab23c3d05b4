// The plugin keeps the promises of all plugins.
import { pluginContract } from '@avocet/testkit/contracts'
import { files } from '@avocet/plugin-files'

pluginContract('files', () => files({ folder: '/tmp/avocet-files-contract' }))
