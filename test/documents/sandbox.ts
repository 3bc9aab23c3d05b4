// A folder outside the repository from which its packages can be imported: Node strips no types below node_modules, and leaves nothing behind.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from './code-blocks.ts'

const CONFIG = {
  extends: join(ROOT, 'tsconfig.check.json'),
  // The packages' sources rather than their build, which may be stale. Examples may name what they do not use.
  compilerOptions: { customConditions: ['@avocet/source'], noUnusedLocals: false, incremental: false, tsBuildInfoFile: null },
  include: ['**/*.ts', join(ROOT, 'packages/*/src/**/*.d.ts')],
  references: [],
}

/** A folder of its own for one test. */
export interface Sandbox extends Disposable {
  readonly folder: string
  /** `name` may have folders in it. */
  write(name: string, text: string): void
  /** What the compiler says of all `.ts` files in it, a line each. */
  typeErrors(): Promise<readonly string[]>
  /** Runs one of its files with Node; resolves to what it said on stderr. */
  run(name: string): Promise<string>
}

/** Makes one. Dispose to remove it. */
export function sandbox(): Sandbox {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-documents-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'sandbox', private: true, type: 'module' }))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG))
  return {
    folder,
    write(name, text) {
      mkdirSync(join(folder, dirname(name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    },
    typeErrors: () => typeErrors(folder),
    run: (name) =>
      new Promise((resolve) => {
        execFile(process.execPath, ['--conditions=@avocet/source', name], { cwd: folder }, (_error, _stdout, stderr) =>
          resolve(stderr),
        )
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function typeErrors(folder: string): Promise<readonly string[]> {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '--noEmit', '--pretty', 'false', '-p', folder], (error, stdout) => {
      resolve(error === null ? [] : stdout.trim().split('\n'))
    })
  })
}
