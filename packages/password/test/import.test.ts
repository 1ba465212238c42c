import { describeHash } from '@latchkey/password'
import { hashSync as nodeRsArgon2 } from '@node-rs/argon2'
import { hashSync as nodeRsBcrypt } from '@node-rs/bcrypt'
import bcryptjs from 'bcryptjs'
import { afterAll, expect, test } from 'vitest'
import { closeHashers, createWeakWorkerHasher } from './weak-hasher.ts'

afterAll(closeHashers)

const hasher = createWeakWorkerHasher()
const accented = 'lètmein ✓ twice'

// Firebase's published project parameters: https://github.com/firebase/scrypt
const firebase =
  'v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=='

const imported: [origin: string, format: string, algorithm: string, password: string, stored: string][] = [
  [
    'argon2-cffi 25.1.0',
    'phc',
    'argon2id',
    accented,
    '$argon2id$v=19$m=1024,t=2,p=2$0cyG1BbtXfJoRYln+7iY9w$f4ucsmY2aXzCiaoKwQa2JUuVYg41ny/mtgbukcoUVjk',
  ],
  [
    'argon2-cffi 25.1.0',
    'phc',
    'argon2i',
    accented,
    '$argon2i$v=19$m=1024,t=2,p=2$7lsSAKh+Ych2AQyWxq9yeg$qU5YCXpzcyzZAjiDCJPNAYQBXYL9mqoSFcfRW44FPKY',
  ],
  ['@node-rs/argon2, now', 'phc', 'argon2id', accented, nodeRsArgon2(accented, { memoryCost: 256, timeCost: 2 })],
  [
    'passlib 1.7.4',
    'phc',
    'scrypt',
    accented,
    '$scrypt$ln=10,r=8,p=1$ZwyhNKa0lnJuTUmJ0dpbiw$9M+Oe+iUsBWWs9idoe/pc05JAyd5onyGbJe94upzsGM',
  ],
  ['bcryptjs, now', 'bcrypt', 'bcrypt', accented, bcryptjs.hashSync(accented, 4)],
  ['@node-rs/bcrypt, now', 'bcrypt', 'bcrypt', accented, nodeRsBcrypt(accented, { cost: 4 })],
  [
    '@node-rs/bcrypt as PHP writes it, now',
    'bcrypt',
    'bcrypt',
    accented,
    nodeRsBcrypt(accented, { cost: 4, version: '2y' }),
  ],
  ['Python bcrypt 5.0.0', 'bcrypt', 'bcrypt', accented, '$2b$05$VF3DEy7xwbpQjkjXlhgBG.h2MQS5.41eN6ykzwtX7o2EHC1Xw5vyG'],
  [
    'Python bcrypt 5.0.0, prefix 2a',
    'bcrypt',
    'bcrypt',
    accented,
    '$2a$05$sz.gVVYKzqmwQoaf1dUpweVKH8VuAfhJZKoCLL5IafTyyfdzauhQC',
  ],
  [
    '@phc/pbkdf2 1.1.14',
    'phc',
    'pbkdf2-sha1',
    accented,
    '$pbkdf2-sha1$i=1000$3fRiPy+2/7rV6Cb+dhO6Cw$BR0NTYQ0a6gyqp+sAZWOhQ3F/sU',
  ],
  [
    '@phc/pbkdf2 1.1.14',
    'phc',
    'pbkdf2-sha256',
    accented,
    '$pbkdf2-sha256$i=1000$S+sgTDC3EULZPiLGPMfx1A$POZTyH0lQmAce4yfWVz08BPTE37+r9XeMGy6WfJQ5pM',
  ],
  [
    '@phc/pbkdf2 1.1.14',
    'phc',
    'pbkdf2-sha512',
    accented,
    '$pbkdf2-sha512$i=1000$FHW60uhfpjt0hHB5xu5eTg$WUqRaZAs25O//OiHwJz54QJir5S6OYxNrV3ulfE6KpRYgNn962a6pgZ62M9ntsVsWuSxRfcUyH0Zs3M0tom+HQ',
  ],
  ['passlib 1.7.4', 'phc', 'pbkdf2-sha1', accented, '$pbkdf2$1000$qHVOiZGy9l5rTWltjRHCmA$oaekjYrP6iY7Tdc3/b7B9W8uE8U'],
  [
    'passlib 1.7.4',
    'phc',
    'pbkdf2-sha256',
    accented,
    '$pbkdf2-sha256$1000$ppSS0ro3JmQsZcy513ovRQ$os3DfUKaPtnOl7xyZQyapdze/LphRrVShcG7/Dnem6I',
  ],
  [
    'passlib 1.7.4',
    'phc',
    'pbkdf2-sha512',
    accented,
    '$pbkdf2-sha512$1000$EOLc.//fG8MY45xzzrn3ng$/EuNVFVXY1KWdrUaYyIaYIxQZVmGbZVkOwn0sVNOwYNnkKXlmjk32V3YTM6TpBWH7zYAXXCcw3Ni8biY...3bg',
  ],
  [
    'Django 5.2.17',
    'django',
    'pbkdf2-sha256',
    accented,
    'pbkdf2_sha256$26000$seasalt$P6umAnn54hoNPdnqJ/s3iXdOGcf0+95oLIvA26L4lTg=',
  ],
  ['Django 5.2.17', 'django', 'pbkdf2-sha1', accented, 'pbkdf2_sha1$26000$seasalt2$5w/8YbFR8ukaeadLv6OOdYVHVmU='],
  [
    'Django 5.2.17',
    'django',
    'argon2id',
    accented,
    'argon2$argon2id$v=19$m=1024,t=2,p=2$c2Vhc2FsdDE$GO45mwhrsi/ZQCAw6CSHAx1J9Z740viEU7rSFhRuhnA',
  ],
  [
    'Django 5.2.17',
    'django',
    'bcrypt',
    accented,
    'bcrypt_sha256$$2b$05$F2eE1lTFpC8S1whdtfrc3OYIATQfNNoYD542HGhPnCV0cGT6PdT8G',
  ],
  [
    'Django 5.2.17',
    'django',
    'bcrypt',
    accented,
    'bcrypt$$2b$05$ZBydqO9Mtpxm26xnAQpdkOdcCxWyoPVjXzsg8f8uk2Kcr1coSELBS',
  ],
  [
    'Django 5.2.17',
    'django',
    'scrypt',
    accented,
    'scrypt$1024$seasalt3$8$5$0H4vH0IDxJ2Jd4pVd1nakUGURPv9cksk+ddu/SQXz/Dou5hOZCSG0odJFcOlSqJBjgduA7JoJKyhZ10m6LEaug==',
  ],
  // PasswordHasherTest of dotnet/aspnetcore.
  [
    'ASP.NET Identity 2',
    'aspnet-identity-v2',
    'pbkdf2-sha1',
    'my password',
    'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==',
  ],
  [
    'ASP.NET Identity 3',
    'aspnet-identity-v3',
    'pbkdf2-sha1',
    'my password',
    'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
  ],
  [
    'ASP.NET Identity 3',
    'aspnet-identity-v3',
    'pbkdf2-sha256',
    'my password',
    'AQAAAAEAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=',
  ],
  [
    'ASP.NET Identity 3',
    'aspnet-identity-v3',
    'pbkdf2-sha512',
    'my password',
    'AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw',
  ],
  [
    'ASP.NET Identity 3',
    'aspnet-identity-v3',
    'pbkdf2-sha512',
    'my password',
    'AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw==',
  ],
  [
    'aspnetcore-identity-password-hasher 1.0.1',
    'aspnet-identity-v2',
    'pbkdf2-sha1',
    accented,
    'AJ/vYgVZuMqo8SRRDb5THY3UH0rktQj/ZPurxuUMhOt7Q7XFlzbvYQGtNXP2rIbULQ==',
  ],
  [
    'aspnetcore-identity-password-hasher 1.0.1',
    'aspnet-identity-v3',
    'pbkdf2-sha256',
    accented,
    'AQAAAAEAACcQAAAAEI5lEdgToE7t39A6+iP15RVri9/hmSYO4eGHIRHhNN5EgW8efMVnEMbD8BIRJCxF2A==',
  ],
  [
    "Firebase's published vector",
    'firebase',
    'firebase-scrypt',
    'user1password',
    `$fbscrypt$${firebase}$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==`,
  ],
  [
    'firebase-scrypt 2.2.0',
    'firebase',
    'firebase-scrypt',
    accented,
    `$fbscrypt$${firebase}$42xEC+ixf3L2lw==$siy98IjHYQ7Cq5KWrrRpERoSMY+Cy42R+hGq9azX05F0R8jLnLNFoNXE4VYMI2u6hmW1A7lLLPUdnCLuue0AZw==`,
  ],
  [
    'better-auth 1.7',
    'better-auth',
    'scrypt',
    accented,
    '66687c607fc7935a84ba67e82bf5e937:bbb35d4060e36ab4a44896d6fb65eaf71f92ebce0e1575c51aa2079f1576e3f055d951a73b191175fff66b6a9960fdfc25b7fd05280904982ed992059e47b364',
  ],
  [
    'better-auth 1.7, which normalises to NFKC',
    'better-auth',
    'scrypt',
    'fine flight twice',
    '1fab017cb7bead92f6ec391f9c95d8af:a718e5b8c69dffccb96d65d46cdb2474e637bc9ab2613f516f5db0c4ad106037c1690119331dcfd50f704354b2c768c7f796840d83b596dbef8f977580e59a9e',
  ],
]

test.each(imported)('a hash of %s (%s, %s) is verified and due for a rehash', async (...row) => {
  const [, format, algorithm, password, stored] = row
  expect(describeHash(stored)).toMatchObject({ format, algorithm, pepperKeyId: null, wrapped: null })
  expect(await hasher.verify(password, stored)).toEqual({ ok: true, needsRehash: true })
  expect(await hasher.verify(`${password}.`, stored)).toEqual({ ok: false, needsRehash: false })
  expect(hasher.stats.unreadable).toBe(0)
})

test('a system that did not normalise gets what was typed', async () => {
  const decomposed = 'cafe\u0301 au lait'
  // Django 5.2.17: PBKDF2PasswordHasher().encode('cafe\u0301 au lait', 'salt', iterations=1)
  const stored = 'pbkdf2_sha256$1$salt$2WSZDpSGVKUfX5JY7upMvIQpNl9d5i9kClvVZbTwCMw='
  expect((await hasher.verify(decomposed, stored)).ok).toBe(true)
  expect((await hasher.verify(decomposed.normalize('NFC'), stored)).ok).toBe(false)
})

test('the user base moves over login by login', async () => {
  for (const [, , , password, stored] of imported.slice(0, 12)) {
    const { ok, needsRehash } = await hasher.verify(password, stored)
    expect({ ok, needsRehash }).toEqual({ ok: true, needsRehash: true })
    const next = await hasher.hash(password, { lane: 'idle' })
    expect(await hasher.verify(password, next)).toEqual({ ok: true, needsRehash: false })
  }
})
