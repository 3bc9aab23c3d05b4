// Reads the value of a secret where the configuration says that it is. What is wrong is one line without the value.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { MIN_CHARACTERS_IN_TEXT } from './known-values.ts'

/** A chain of certificates, generously. */
const MAX_BYTES = 256 * 1024
/** Whoever is not the owner. */
const OTHERS = 0o077
/** Between words. A hyphen is part of one. */
const BETWEEN = /[\s,.()/:;!?"'€$£%+&]+/u
/** In one case, or with a capital; a small number; a date. */
const WORD = /^(?:\p{Lu}?[\p{Ll}\p{Lo}]*(?:[-_][\p{L}]+)*|\p{Lu}+(?:[-_]\p{Lu}+)*|\d{1,5}|\d{4}-\d\d-\d\d)$/u
/** The longest words of natural languages, nearly; random letters of one case are no longer. */
const MAX_WORD = 24

/** Where it is. */
export type SecretSource = { readonly env: string } | { readonly file: string | URL }

/** What is to be read. */
export interface WantedSecret {
  readonly source: SecretSource
  /** How messages name it: `the password for https://intranet.example`. */
  readonly what: string
  /** Certificates are shown to everybody. */
  readonly isPublic?: boolean
}

/** Its value. Throws AVO_CONFIG_CREDENTIALS where there is none, or where others can read it. */
export function secretValue(wanted: WantedSecret): string {
  const value = 'env' in wanted.source ? process.env[wanted.source.env] : fileText(wanted.source.file, wanted)
  const text = value?.replace(/\r?\n$/, '')
  if (text !== undefined && text !== '') return text
  const got = value === undefined ? 'none' : 'an empty one'
  const todo = 'env' in wanted.source ? `set it, as in ${wanted.source.env}=… avocet crawl` : 'write the secret into it'
  throw wrongCredential(`expected ${secretPlace(wanted.source)}, with ${wanted.what}, to have a value, got ${got}; ${todo}`)
}

/** Where a value comes from, in words. */
export function secretPlace(source: SecretSource): string {
  return 'env' in source ? `the environment variable ${source.env}` : `the file ${pathOf(source.file)}`
}

/** The error for what cannot be used. */
export function wrongCredential(message: string, cause?: unknown): AvocetError {
  return new AvocetError('AVO_CONFIG_CREDENTIALS', message, cause === undefined ? {} : { cause })
}

function pathOf(file: string | URL): string {
  return file instanceof URL ? fileURLToPath(file) : file
}

/** What was looked at is what is read: the path may lead elsewhere a moment later. A pipe without a writer would be waited for without O_NONBLOCK. */
function fileText(file: string | URL, { what, isPublic = false }: WantedSecret): string {
  const path = pathOf(file)
  const handle = opened(path, what)
  try {
    const found = fstatSync(handle)
    if (!found.isFile()) throw wrongCredential(`expected ${path}, with ${what}, to be a file, got something else`)
    if (found.size > MAX_BYTES)
      throw wrongCredential(`expected ${path}, with ${what}, to have at most ${MAX_BYTES} bytes, got ${found.size}`)
    const mode = found.mode & 0o777
    if (!isPublic && process.platform !== 'win32' && (mode & OTHERS) !== 0)
      throw wrongCredential(
        `expected ${path}, with ${what}, to be readable for its owner only, got mode ${mode.toString(8).padStart(4, '0')}; run: chmod 600 ${path}`,
      )
    const bytes = Buffer.alloc(MAX_BYTES)
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, MAX_BYTES, 0))
  } finally {
    closeSync(handle)
  }
}

function opened(path: string, what: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw wrongCredential(`expected a readable file ${path}, with ${what}, got ${messageOf(error)}`, error)
  }
}

/** Whether `value` is words, small numbers or both. */
export function looksLikeWords(value: string): boolean {
  return value.length < MIN_CHARACTERS_IN_TEXT || value.split(BETWEEN).every((word) => word.length <= MAX_WORD && WORD.test(word))
}
