// Pins a process that does nothing, and itself.
import { spawn } from 'node:child_process'
import { pinServers } from '../src/load/own-core.ts'

const server = spawn('sleep', ['60'])
process.on('disconnect', () => {
  server.kill()
  process.exit()
})
process.send?.({ server: server.pid, cores: pinServers([server.pid ?? 0]) })
