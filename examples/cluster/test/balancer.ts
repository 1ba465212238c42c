import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '@latchkey/test-services'
import { vi } from 'vitest'

/** The configuration that users keep. */
export const nginxConf = readFileSync(new URL('../nginx.conf', import.meta.url), 'utf8')

export const nginx = findProgram('nginx', ['/usr/sbin'])

/**
 * Starts nginx with `nginxConf` before the processes at these ports. On a machine without nginx it starts a proxy that
 * gives each process its turn and writes the same headers.
 */
export async function startBalancer(port: number, ports: readonly number[]): Promise<{ stop(): Promise<void> }> {
  return nginx === null ? startProxy(port, ports) : startNginx(nginx, port, ports)
}

async function startNginx(program: string, port: number, ports: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-nginx-'))
  const text = ports.reduce((conf, own, index) => conf.replace(`:${4001 + index};`, `:${own};`), nginxConf)
  writeFileSync(join(folder, 'nginx.conf'), text.replace(':8080;', `:${port};`))
  const words = ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;']
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  let printed = ''
  child.stderr.on('data', (chunk) => {
    printed += chunk
  })
  await vi.waitUntil(() => child.exitCode !== null || isOpen(port), { timeout: 30_000 })
  if (child.exitCode !== null) throw new Error(`nginx exited with ${child.exitCode}:\n${printed}`)
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true })
  }
  return { stop }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return opened
}

async function startProxy(port: number, ports: readonly number[]) {
  let turn = 0
  const forward = (incoming: IncomingMessage, body: Buffer, tries = ports.length): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { 'x-forwarded-host': _host, 'x-request-id': _id, ...headers } = incoming.headers
      const target = { host: '127.0.0.1', port: ports[turn++ % ports.length], agent: false as const }
      const own = { ...headers, 'x-forwarded-for': incoming.socket.remoteAddress }
      const outgoing = send({ ...target, method: incoming.method, path: incoming.url, headers: own }, resolve)
      outgoing.once('error', (error) => {
        const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
        if (isRefused && tries > 1) forward(incoming, body, tries - 1).then(resolve, reject)
        else reject(error)
      })
      outgoing.end(body)
    })
  const server = createServer(async (incoming, response) => {
    try {
      const answer = await forward(incoming, Buffer.concat(await incoming.toArray()))
      answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.rawHeaders))
    } catch {
      response.writeHead(502).end()
    }
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { stop }
}
