import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

/** The paths of docs/pages.md, each of which a test of examples/frameworks opens. */
const [, list = ''] = read('docs/pages.md').split('## Every path')
const served = [...list.matchAll(/^\| .+? *\| (`\/.*) \|$/gm)].flatMap(([, paths = '']) =>
  [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path.replace('<name>', 'one')),
)
const ofPrograms =
  /^\/(graphql|jwks|\.well-known|healthz|readyz|mcp|authorize|par|token|revoke|userinfo|introspect|device_authorization|end-session)(\/|$)/
const pages = served.filter((path) => path !== '/' && !ofPrograms.test(path))

describe.each(['docs/guides/single-page-app.md', 'create/template/react/web/vite.config.ts'])(
  'the proxy of %s',
  (file) => {
    const [, pattern = ''] = /const pages =\s+'(.+)'/.exec(read(file)) ?? []

    test('forwards every page of the service', () => {
      expect(pages.length).toBeGreaterThan(50)
      expect(pages.filter((path) => !new RegExp(pattern).test(path))).toEqual([])
    })

    test.each(['/', '/src/main.tsx', '/@vite/client', '/node_modules/.vite/deps/react.js', '/articles/1'])(
      'leaves %s to Vite',
      (path) => {
        expect(new RegExp(pattern).test(path)).toBe(false)
      },
    )
  },
)
