// The sink contract, on a folder of the disk.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sinkContract } from '@avocet/testkit/contracts'
import { parquetReadObjects } from 'hyparquet'
import { parquet } from '../src/index.ts'

const DAY_MS = 86_400_000

for (const rowsPerFile of [1, 3, 1_000])
  sinkContract(
    `parquet, ${rowsPerFile} rows a file`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'avocet-parquet-'))
      return {
        sink: () => parquet(folder, { rowsPerFile, everyMs: DAY_MS, name: 'parquet' }),
        async written() {
          const names = readdirSync(folder).filter((name) => !name.startsWith('.'))
          const bytes = names.sort().map((name) => new Uint8Array(readFileSync(join(folder, name))).buffer)
          const rows = (await Promise.all(bytes.map((file) => parquetReadObjects({ file })))).flat()
          return rows as { n: number }[]
        },
        dispose: async () => rmSync(folder, { recursive: true }),
      }
    },
    { exactlyOnce: true, gathers: rowsPerFile > 1 },
  )
