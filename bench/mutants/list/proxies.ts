// Ways to blame a host for its proxy, to ask a dead proxy too often, and to tell a password.
import { caught, type Mutant } from '../mutant.ts'

const GUARD = ['packages/core/test/crawl/proxy-guard.test.ts']
const LAWS = ['packages/plugin-proxies/test/rest-law.test.ts', 'packages/plugin-proxies/test/choice-law.test.ts']
const CRAWLS = ['test/proxies/crawl.test.ts']
const WIRE = ['packages/fetcher-http/test/proxies.test.ts']
const URLS = ['packages/core/test/proxy-server.test.ts']

export const PROXIES: readonly Mutant[] = [
  ...caught('packages/core/src/faults/proxy-guard.ts', GUARD, [
    { name: 'blames a proxy for two hosts', find: 'const FEW_HOSTS = 3', replace: 'const FEW_HOSTS = 2' },
    {
      name: 'blames a proxy that works for others',
      find: "return { whose: 'host' }\n    if (known.failed.size === 0)",
      replace: 'known.answeredAt = 0\n    if (known.failed.size === 0)',
    },
    { name: 'excuses a host that is alone for ever', find: 'times >= UNPROVEN_TIMES', replace: 'times < 0' },
    { name: 'blames a proxy for ever', find: 'now - known.failingSince >= HOUR_MS', replace: 'now < 0' },
    { name: 'forgets no proxy', find: 'this.#proxies.size > MAX_PROXIES', replace: 'this.#proxies.size < 0' },
  ]),
  ...caught('packages/core/src/exchange/fault-judge.ts', CRAWLS, [
    {
      name: 'counts trouble of a proxy as trouble of its host',
      find: "if (said !== 'elsewhere') return said",
      replace: "if (said !== 'elsewhere') return cause",
    },
    { name: 'does not tell plugins of trouble with a proxy', find: 'run.proxyFailure = {', replace: 'const _none = {' },
  ]),
  ...caught('packages/plugin-proxies/src/rest-law.ts', LAWS, [
    { name: 'does not rest longer each time', find: '2 ** (failures - 1)', replace: '2 ** 0' },
    {
      name: 'counts what was in flight',
      find: 'trouble !== undefined && since < trouble.failedAt',
      replace: 'trouble === undefined && since < 0',
    },
    {
      name: 'believes an old answer',
      find: 'return since < trouble.failedAt ? trouble : undefined',
      replace: 'return since < 0 ? trouble : undefined',
    },
    { name: 'lets many feel for a proxy', find: 'trouble.trial.until > now ?', replace: 'trouble.trial.until < 0 ?' },
  ]),
  ...caught('packages/plugin-proxies/src/choice-law.ts', LAWS, [
    { name: 'sends all hosts through one proxy', find: '`${seat}\\n${candidate.id}`', replace: '`${candidate.id}`' },
  ]),
  ...caught('packages/fetcher-http/src/proxies/proxy-connector.ts', WIRE, [
    {
      name: 'connects to private addresses through a proxy',
      find: 'if (!privateAllowed && isInside(hostname)) {',
      replace: 'if (!privateAllowed && hostname === "") {',
    },
    {
      name: 'asks the localhost of the proxy',
      find: 'return /(?:^|\\.)localhost\\.?$/.test(hostname)',
      replace: "return hostname === ''",
    },
    {
      name: 'leaves a tunnel behind that is given up',
      find: 'socket.destroy()\n      connected(error, null)',
      replace: 'connected(error, null)',
    },
  ]),
  ...caught('packages/fetcher-http/src/connections.ts', WIRE, [
    {
      name: 'uses a connection of another way',
      find: 'return proxy === undefined ? key :',
      replace: 'return proxy !== null ? key :',
    },
  ]),
  ...caught('packages/core/src/proxy-server.ts', URLS, [
    {
      name: 'has a password in its name',
      find: '`${scheme.toLowerCase()}://${url.hostname}:${port}`',
      replace: '`${scheme.toLowerCase()}://${url.password}${url.hostname}:${port}`',
    },
  ]),
]
