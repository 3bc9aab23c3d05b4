// The contract of plugins: what it remembers, with any other plugins, over restarts.
import { alerts } from '@avocet/plugin-alerts'
import { pluginContract } from '@avocet/testkit/contracts'

pluginContract('alerts', () => alerts({ to: [() => undefined] }))
