// The plugin keeps the promises of all plugins, with one proxy and with several.
import { pluginContract } from '@avocet/testkit/contracts'
import { proxies } from '@avocet/plugin-proxies'

pluginContract('proxies', () => proxies({ '*': 'http://a.test:8080' }))
pluginContract('several proxies', () => proxies({ '*': ['http://a.test:8080', 'socks5://b.test'] }))
