import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { House } from '../house/house.ts'
import { type CodeBlock, documentedBlocks } from './code-blocks.ts'
import { createReaderProject, fileNamedBy } from './reader-project.ts'

/**
 * Compiles all blocks in one strict run of `tsc`, and returns the errors at their place in the documents. A block can import
 * the packages of the workspace and the dependencies of its package, as in the reader's project. `tools` is the
 * `node_modules` folder with the compiler and the types of Node.js.
 */
export async function compileDocuments(house: House, tools: string): Promise<string[]> {
  const blocks = documentedBlocks(house)
  const { folder, files, remove } = createReaderProject(house, blocks)
  try {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration(tools)))
    const output = await run(tools, folder)
    return output.flatMap((line) => atItsPlace(line, files, blocks))
  } finally {
    remove()
  }
}

function configuration(tools: string): object {
  return {
    compilerOptions: {
      target: 'es2023',
      lib: ['es2024', 'dom', 'dom.iterable'],
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(tools, '@types')],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      customConditions: ['@latchkey/source'],
      jsx: 'react-jsx',
    },
    include: ['**/*.ts', '**/*.tsx'],
  }
}

async function run(tools: string, folder: string): Promise<string[]> {
  try {
    await promisify(execFile)(
      process.execPath,
      [join(tools, 'typescript/lib/tsc.js'), '-p', folder, '--pretty', 'false'],
      { cwd: folder },
    )
    return []
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
    if (output === '') throw error
    return output.split('\n').filter((line) => line !== '')
  }
}

/**
 * `documents/README-md-12.ts(3,7): error …` → `README.md:14: error …`; errors elsewhere are found by the compiler's own
 * run. Only of a whole file the reader needs each name: Vite's template refuses the others.
 */
function atItsPlace(message: string, files: readonly string[], blocks: readonly CodeBlock[]): string[] {
  const [, file = '', line = '', text = ''] = /^(.*?)\((\d+),\d+\): (.*)$/.exec(message) ?? []
  if (file === '') return message.startsWith('error') ? [message] : []
  const block = blocks[files.indexOf(file.replaceAll('\\', '/'))]
  const isPartOfFile = block !== undefined && fileNamedBy(block.code) === null
  if (isPartOfFile && /^error TS6(?:133|192|196|198):/.test(text)) return []
  return block ? [`${block.path}:${block.line + Number(line) - 1}: ${text}`] : []
}
