import { expect, test } from 'vitest'
import { settings } from '../src/settings.ts'
import { nginxConf } from './balancer.ts'

test('nginx.conf names the ports of the program and the address of its links', () => {
  const upstreams = [...nginxConf.matchAll(/^ {4}server 127\.0\.0\.1:(\d+);$/gm)].map(([, port]) => port)
  expect(upstreams).toEqual(settings.ports)
  expect(nginxConf).toContain(`listen ${new URL(settings.publicUrl).host};`)
})

test.each(['Host $http_host', 'X-Forwarded-For $remote_addr', 'X-Forwarded-Host ""', 'X-Request-Id $request_id'])(
  'nginx.conf sets the header %s for all paths',
  (header) => {
    expect(nginxConf.match(/^ *proxy_set_header .+;$/gm)).toContain(`    proxy_set_header ${header};`)
  },
)
