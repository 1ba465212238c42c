import { runAgent } from './agent.ts'

const [server = 'http://127.0.0.1:4000/mcp'] = process.argv.slice(2)

await runAgent({
  server,
  leadTo: (address) => console.log(`Open this page: ${address}`),
  print: (line) => console.log(line),
})
