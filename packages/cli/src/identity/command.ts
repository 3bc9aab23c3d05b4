// `avocet identity`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { CONFIG_FLAG, type DeclaredCommand, JSON_FLAG, valueFlag } from '@avocet/project/command'
import { crawlOptionsOf, given, parseDuration, parseWord, textOf, type Typed } from '@avocet/project/options'
import type { IdentityWish } from './identity.ts'

/** `avocet identity`. */
export const IDENTITY: DeclaredCommand<IdentityWish> = {
  name: 'identity',
  arguments: '<action> [path]',
  describes: {
    action: 'key (a private key) or page (what a site publishes)',
    path: 'The file of the key, or the folder of the site',
  },
  examples: ['avocet identity key keys/2026.json', 'avocet identity page public --contact bot@example.org'],
  flags: {
    after: valueFlag('TIME', 'key: when it begins to sign, such as 7d [default: 0]'),
    contact: valueFlag('ADDRESS', 'page: e-mail address or URL for site owners'),
    purpose: valueFlag('TEXT', 'page: what the data is for, such as search'),
    ...CONFIG_FLAG,
    ...JSON_FLAG,
  },
  notes: [
    'key prints the thumbprint of the key. Only its owner can read the file.',
    'page prints the header fields that the server sends with the list of keys.',
    'page needs signature() of @avocet/plugin-signature in the configuration.',
  ],
  missing: 'expected key or page, got nothing',
  read(typed) {
    const action = parseWord(textOf(typed, 'action') ?? '', 'identity', ['key', 'page'])
    const path = textOf(typed, 'path')
    const what = action === 'key' ? 'a file to write, such as keys/2026.json' : 'the folder of a web site, such as public'
    if (path === undefined) throw new AvocetError('AVO_USAGE', `identity ${action}: expected ${what}, got nothing`)
    const after = textOf(typed, 'after') ?? '0'
    if (action === 'key') return { action, path, afterMs: parseDuration(after, 'identity --after'), json: typed['json'] === true }
    return { action, path, options: crawlOptionsOf(typed), ...given('purpose', textOf(typed, 'purpose')), ...contactOf(typed) }
  },
  run: async (wish, place) => (await import('./identity.ts')).identityCommand(wish, place),
}

function contactOf(typed: Typed): { readonly contact?: string } {
  const text = textOf(typed, 'contact')
  if (text === undefined) return {}
  const contact = /^[^\s:/@]+@[^\s:/@]+$/.test(text) ? `mailto:${text}` : text
  if (/^(?:mailto:|https?:\/\/)\S+$/.test(contact)) return { contact }
  throw new AvocetError('AVO_USAGE', `identity --contact: expected an e-mail address or a URL, got '${text}'`)
}
