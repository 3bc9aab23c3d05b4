// The one door of @avocet/plugin-files.
export { file, FileLink } from './file.ts'
export type { FileRecord } from './file-record.ts'
export { files } from './files.ts'
export type { DownloadOptions, FilesOptions } from './options.ts'
