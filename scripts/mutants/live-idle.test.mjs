import { test } from 'vitest'

test('a process of tests begins with nothing', () => {})
