// Pins a process that does nothing, and itself; then another one, which was started on the cores of the load.
import { spawn } from 'node:child_process'
import { pinServers } from '../src/load/own-core.ts'

const servers = [spawn('sleep', ['60'])]
process.on('disconnect', () => {
  for (const server of servers) server.kill()
  process.exit()
})
const pids = (): number[] => servers.map(({ pid }) => pid ?? 0)
const cores = [pinServers(pids())]
servers.push(spawn('sleep', ['60']))
cores.push(pinServers(pids().slice(1)))
process.send?.({ servers: pids(), cores })
