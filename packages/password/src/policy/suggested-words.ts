/**
 * Words that the moment of choosing suggests: the word for password in languages that the list of common passwords
 * hardly covers, and seasons and months, which often make up a changed password. Without accents.
 */
export const suggestedWords: string = `
password passwort passord kennwort motdepasse contrasena contrasenya senha parola wachtwoord losenord adgangskode
salasana haslo heslo lozinka jelszo sifre parole slaptazodis пароль гасло κωδικος 密码 密碼 パスワード 비밀번호
spring summer autumn winter fruhling fruhjahr sommer herbst printemps automne hiver primavera verano otono invierno
january february march april june july august september october november december
januar februar marz juni juli oktober dezember
janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
`
