import { parts } from './parts.ts'

// Measures one part in a process of its own: `part-program.ts <name> <rounds, seconds and own options as JSON>`.
const [name = '', run = ''] = process.argv.slice(2)
const part = parts[name]
if (!part) throw new Error(`there is no part called ${name}`)
const report = await part.measure({ ...JSON.parse(run), progress: (text) => process.send?.({ progress: text }) })
process.send?.({ report }, () => process.disconnect())
