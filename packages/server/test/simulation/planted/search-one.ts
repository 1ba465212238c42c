import { searchFor } from './search.ts'

const [name = '', seeds = '2000'] = process.argv.slice(2)
process.stdout.write(`${JSON.stringify(await searchFor(name, Number(seeds)))}\n`)
