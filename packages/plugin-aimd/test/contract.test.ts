// Under every law the plugin keeps the promises of all plugins.
import { aimd, delayFactor, fixedRate, textbook } from '@avocet/plugin-aimd'
import { pluginContract } from '@avocet/testkit/contracts'

pluginContract('aimd', () => aimd())
pluginContract('aimd, law textbook', () => aimd({ law: textbook() }))
pluginContract('aimd, law fixed', () => aimd({ law: fixedRate({ rps: 5, burst: 10 }) }))
pluginContract('aimd, law delay-factor', () => aimd({ law: delayFactor() }))
pluginContract('aimd, law delay-factor from start to start', () => aimd({ law: delayFactor({ after: 'start' }) }))
