// One service of the benchmark in a process of its own: `service-server.ts <who> <store> <where the store is>`.
import type { HandStore } from '../sessions/session-by-hand.ts'
import { isServiceName, openService } from './service-ways.ts'

const [name = '', store = '', place = ''] = process.argv.slice(2)
if (!isServiceName(name)) throw new Error('usage: service-server.ts <name> <store> <place>')
const opened = await openService(name, store as HandStore, place)
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
process.on('disconnect', () => process.exit())
process.send?.(opened)
