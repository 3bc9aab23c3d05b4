// The options of the plugin and of single files, and their check.
import { AvocetError } from '@avocet/core'
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import { messageOf } from '@avocet/core/store'
import { isTypePattern } from './file-types.ts'

/** How to save a file. */
export interface DownloadOptions {
  /** Folder inside that of the crawl's files, such as `images` or `manuals/en`. Default: none. */
  readonly to?: string
  /** Maximum size in bytes. Default: that of the plugin, 1 GiB. */
  readonly maxBytes?: number
  /** Content types that are saved, such as `image/*` or `application/pdf`. Others fail at their headers. Default: those of the plugin, all. */
  readonly types?: readonly string[]
  /** What the file is known by in place of its URL, where that changes from visit to visit. Default: the canonical URL. */
  readonly key?: string
  /** Higher goes first; default 0. Integer. */
  readonly priority?: number
  /** Header fields of its own, such as a referer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether it is requested in this run, even if an earlier run has saved it. Default false. */
  readonly again?: boolean
}

/** Options of `files`. */
export interface FilesOptions {
  /** Where files are saved. Default: `.avocet/files` in the working directory; for the command `NAME.files` beside the store. */
  readonly folder?: string
  /** Maximum size of a file in bytes, where its `file()` says nothing. Default 1 GiB. */
  readonly maxBytes?: number
  /** Content types that are saved, such as `image/*`, where a `file()` says nothing. Default: all. */
  readonly types?: readonly string[]
  /** Free space in bytes below which no file is requested; pages continue. Default 256 MiB. */
  readonly minFreeBytes?: number
}

/** All of them. */
export type FilesRules = Required<Omit<FilesOptions, 'types'>> & Pick<FilesOptions, 'types'>

/** 1 GiB: a film of an hour; what is larger is more often a mistake than a wish. */
const MAX_BYTES = 2 ** 30
const MIN_FREE_BYTES = 256 * 2 ** 20
/** One name of a folder: nothing that a shell or another system reads as something else, and none that is hidden. */
const FOLDER_NAME = /^\w[\w.-]{0,99}$/
const MOST_FOLDERS = 5

const folderRule = option.satisfying(
  'folders inside that of the files, such as images or manuals/en',
  (to) => typeof to === 'string' && isInside(to),
)
const sizeRule = option.wholeNumber(1)
const typesRule = option.listOf(
  option.satisfying('a content type such as image/png or image/*', (type) => typeof type === 'string' && isTypePattern(type)),
)

const RULES: OptionRules<FilesOptions> = {
  folder: option.satisfying('a path', (path) => typeof path === 'string' && path.trim() !== '' && !path.includes('\0')),
  maxBytes: sizeRule,
  types: typesRule,
  minFreeBytes: option.wholeNumber(0),
}

/** Those of one file. */
const fileRules: OptionRules<DownloadOptions> = {
  to: folderRule,
  maxBytes: sizeRule,
  types: typesRule,
  key: option.satisfying('a text', (key) => typeof key === 'string' && key !== ''),
  priority: option.satisfying('a whole number', Number.isSafeInteger),
  headers: option.satisfying('an object of texts', (headers) => typeof headers === 'object' && headers !== null),
  again: option.flag,
}

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function checkedFilesRules(options: FilesOptions): FilesRules {
  checkOptions('files', options, RULES)
  const { folder = '.avocet/files', maxBytes = MAX_BYTES, minFreeBytes = MIN_FREE_BYTES, types } = options
  return { folder, maxBytes, minFreeBytes, ...(types && { types }) }
}

/** Throws AVO_HANDLER_LINK_INVALID: it is the handler that is wrong, not the configuration. */
export function checkFileOptions(url: string, options: DownloadOptions): void {
  try {
    checkOptions(`file(${JSON.stringify(url)})`, options, fileRules)
  } catch (cause) {
    throw new AvocetError('AVO_HANDLER_LINK_INVALID', messageOf(cause), { cause })
  }
}

/** Whether `to` leads to a folder inside another, on any system. */
export function isInside(to: string): boolean {
  const names = to.split('/')
  return names.length <= MOST_FOLDERS && names.every((name) => FOLDER_NAME.test(name) && !name.endsWith('.'))
}

/** Whether `types` is a list of content types. */
export function isTypes(types: unknown): types is readonly string[] {
  return typesRule.problem(types, 'types') === undefined && types !== undefined
}
