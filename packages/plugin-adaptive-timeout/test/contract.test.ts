// The plugin keeps the promises of plugins, whatever its law.
import { pluginContract } from '@avocet/testkit/contracts'
import { adaptiveTimeout, fixedTimeout } from '@avocet/plugin-adaptive-timeout'

pluginContract('adaptive-timeout', () => adaptiveTimeout())
pluginContract('adaptive-timeout with fixed', () => adaptiveTimeout({ law: fixedTimeout({ ms: 20_000 }) }))
