// Whether a value is a spider: its shape, its name, its scope, and nothing unknown in it. One check, for files that are loaded and for crawls that are made.
import { didYouMean, keysOf, unknownKey } from '../values/closest.ts'
import { shown } from '../values/shown.ts'
import type { Login, Scope, Spider } from '../ports/spider.ts'

const SPIDER_KEYS = keysOf<Spider>({
  name: true,
  seeds: true,
  scope: true,
  accepts: true,
  items: true,
  handlers: true,
  login: true,
  unchanged: true,
})
const LOGIN_KEYS = keysOf<Login>({ url: true, submit: true, isLoggedOut: true })
const SCOPE_KEYS = keysOf<Scope>({
  within: true,
  hosts: true,
  blockedHosts: true,
  maxDepth: true,
  allow: true,
  deny: true,
  dropParameters: true,
})
const DROP_KEYS = keysOf<NonNullable<Scope['dropParameters']>>({ tracking: true, sessions: true, names: true })
const WITHIN = ['seed-hosts', 'seed-domains', 'any']

/** Names become file names: no way out of the folder, and no hidden file. */
const NAME = /^[\w-][\w.-]{0,99}$/

/** What is wrong with a spider, a sentence for each of its parts. */
export function spiderProblems(value: unknown): readonly string[] {
  if (typeof value === 'function')
    return ['expected a spider, got a function that makes one of arguments; call it: await shop({ … })']
  if (!isRecord(value)) return [`expected a spider, spider({ name, seeds, handlers }), got ${shown(value)}`]
  const unknown = unknownKey(value, SPIDER_KEYS)
  if (unknown !== undefined) return [`a spider ${unknown}`]
  const { seeds, scope, handlers, login } = value
  const problems = [
    memberProblem(value),
    handlersProblem(handlers),
    scopeProblem(scope),
    loginProblem(login),
    seedsProblem(seeds),
  ]
  return problems.filter((problem) => problem !== undefined)
}

function memberProblem({ name, accepts, items, unchanged }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name))
    return `expected name of letters, digits, '-', '_' and '.', got ${shown(name)}`
  if (accepts !== undefined && typeof accepts !== 'function') return `expected accepts to be a function, got ${shown(accepts)}`
  if (unchanged !== undefined && typeof unchanged !== 'function')
    return `expected unchanged to be a function of a page, got ${shown(unchanged)}`
  if (items !== undefined && !isStandardSchema(items))
    return `expected items to be a schema that follows Standard Schema 1, such as z.object({ … }), got ${shown(items)}`
  return undefined
}

/** ArkType's are functions. */
function isStandardSchema(value: unknown): boolean {
  if (!((typeof value === 'object' && value !== null) || typeof value === 'function') || !('~standard' in value)) return false
  const { '~standard': standard } = value
  return isRecord(standard) && standard['version'] === 1 && typeof standard['validate'] === 'function'
}

function handlersProblem(handlers: unknown): string | undefined {
  if (!isRecord(handlers)) return `expected handlers: { *start(page) { … } }, got ${shown(handlers)}`
  const wrong = Object.entries(handlers).find(([, handler]) => typeof handler !== 'function')
  if (wrong !== undefined) return `expected handler '${wrong[0]}' to be a function, got ${shown(wrong[1])}`
  if (Object.hasOwn(handlers, 'start')) return undefined
  const names = Object.keys(handlers)
  const found = names.length === 0 ? 'none' : `${names.join(', ')}${didYouMean('start', names)}`
  return `expected a handler 'start' for the seeds, found ${found}`
}

function loginProblem(login: unknown): string | undefined {
  if (login === undefined) return undefined
  if (!isRecord(login)) return `expected login: { url, submit, isLoggedOut }, got ${shown(login)}`
  const unknown = unknownKey(login, LOGIN_KEYS)
  if (unknown !== undefined) return `login ${unknown}`
  const { url } = login
  if (typeof url !== 'string' || !/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    return `expected login.url to be the absolute http(s) URL of the page with the form, got ${shown(url)}`
  const missing = ['submit', 'isLoggedOut'].find((key) => typeof login[key] !== 'function')
  if (missing !== undefined) return `expected login.${missing} to be a function of a page, got ${shown(login[missing])}`
  if (Object.prototype.toString.call(login['isLoggedOut']) !== '[object AsyncFunction]') return undefined
  return 'expected login.isLoggedOut to give true or false at once, got an async function; remove async'
}

function scopeProblem(scope: unknown): string | undefined {
  if (scope === undefined) return undefined
  if (!isRecord(scope)) return `expected scope to be an object, got ${shown(scope)}`
  const unknown = unknownKey(scope, SCOPE_KEYS)
  if (unknown !== undefined) return `scope ${unknown}`
  const { within, maxDepth } = scope
  if (within !== undefined && !WITHIN.includes(within as string))
    return `expected scope.within to be ${WITHIN.join(', ')}, got ${shown(within)}`
  if (maxDepth !== undefined && !(typeof maxDepth === 'number' && maxDepth >= 0))
    return `expected scope.maxDepth to be a number from 0, got ${shown(maxDepth)}`
  const lists = [
    ...['allow', 'deny'].map((name) => ({ name, ...PATTERNS })),
    ...['hosts', 'blockedHosts'].map((name) => ({ name, ...HOSTS })),
  ]
  const found = lists.map((list) => listProblem(scope[list.name], list)).find((problem) => problem !== undefined)
  return found ?? dropProblem(scope['dropParameters'])
}

/** A list of a scope, and what it has. */
interface ScopeList {
  readonly name: string
  readonly what: string
  isOne(value: unknown): boolean
}

/** Those of a file may be of another realm. */
const PATTERNS = {
  what: 'regular expressions such as /page/',
  isOne: (value: unknown): boolean => Object.prototype.toString.call(value) === '[object RegExp]',
}
const HOSTS = { what: "names of hosts such as 'shop.example'", isOne: (value: unknown): boolean => typeof value === 'string' }

function listProblem(list: unknown, { name, what, isOne }: ScopeList): string | undefined {
  if (list === undefined) return undefined
  if (!Array.isArray(list)) return `expected scope.${name} to be a list, got ${shown(list)}`
  const bad = list.findIndex((each) => !isOne(each))
  return bad === -1 ? undefined : `expected scope.${name} to be ${what}, got ${shown(list[bad])}`
}

function dropProblem(dropParameters: unknown): string | undefined {
  if (dropParameters === undefined) return undefined
  if (!isRecord(dropParameters))
    return `expected scope.dropParameters to be an object, { names: ['ref'] }, got ${shown(dropParameters)}`
  const unknown = unknownKey(dropParameters, DROP_KEYS)
  if (unknown !== undefined) return `scope.dropParameters ${unknown}`
  const { names = [], ...flags } = dropParameters
  const flag = Object.entries(flags).find(([, value]) => value !== undefined && typeof value !== 'boolean')
  if (flag !== undefined) return `expected scope.dropParameters.${flag[0]} to be true or false, got ${shown(flag[1])}`
  if (!Array.isArray(names)) return `expected scope.dropParameters.names to be a list, got ${shown(names)}`
  const bad = names.findIndex((name) => !isParameterName(name))
  if (bad === -1) return undefined
  return `expected scope.dropParameters.names to be names of query parameters, such as 'ref' or 'ref_*', got ${shown(names[bad])}`
}

/** A star at the end stands for anything, but not alone: a site needs some of its parameters. */
function isParameterName(name: unknown): boolean {
  return typeof name === 'string' && /^[^\s?&;=#,*]+\*?$/.test(name)
}

/** Each seed is checked where it is read. */
function seedsProblem(seeds: unknown): string | undefined {
  if (typeof seeds === 'function' || Array.isArray(seeds)) return undefined
  return `expected seeds to be a list of URLs or a function that gives them, got ${shown(seeds)}`
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
