// The table of keys as flags of a command: options with their help, and what the user gave for them.
// Every flag may stand without its value here; the loader says what is missing, with all other faults.
import { type Command, Option } from 'commander';
import { withoutSecrets } from '../base/unsecret.ts';
import { envName, flagName, KEY_NAMES, type KeyName, keySpec } from '../config/keys.ts';
import { didYouMean } from '../config/nearest.ts';
import type { FlagValue } from '../config/sources.ts';

export function addConfigFlags(command: Command): Command {
  for (const name of KEY_NAMES) command.addOption(optionOf(name));
  // Unknown flags come back as arguments, so that they can be listed together with all other faults.
  return command.allowUnknownOption(true).allowExcessArguments(true);
}

function optionOf(name: KeyName): Option {
  const { placeholder, isSwitch, isList, fallback, help } = keySpec(name);
  const preset = fallback === undefined ? '' : `Default ${fallback === '' ? 'none' : fallback}. `;
  const repeat = isList === true ? 'May be given several times. ' : '';
  const value = isSwitch === true ? '[true|false]' : `[${placeholder}]`;
  const option = new Option(`${flagName(name)} ${value}`, `${help} ${repeat}${preset}(${envName(name)})`);
  if (isList === true) option.argParser((item: string, before?: readonly string[]) => [...(before ?? []), item]);
  return option;
}

export function givenFlags(command: Command): Partial<Record<KeyName, FlagValue>> {
  const flags: Partial<Record<KeyName, FlagValue>> = {};
  for (const option of command.options) {
    const name = KEY_NAMES.find((each) => flagName(each) === option.long);
    const value = command.getOptionValue(option.attributeName()) as FlagValue | undefined;
    if (name !== undefined && value !== undefined) flags[name] = value;
  }
  return flags;
}

/** Arguments of a command that takes none: misspelt flags, or words that belong to nothing. */
export function strayArguments(command: Command): string[] {
  return command.args.flatMap((argument, index) => {
    if (argument.startsWith('-')) {
      const flag = withoutSecrets(argument.split('=')[0] ?? argument);
      return [`There is no flag ${flag}.${didYouMean(flag.replace(/^-+/, ''), KEY_NAMES, '--')}`];
    }
    // The word after an unknown flag is most likely its value, and the flag was named already.
    const before = command.args[index - 1];
    if (before?.startsWith('-') === true && !before.includes('=')) return [];
    return [`"${withoutSecrets(argument)}" belongs to no flag. ${command.name()} takes flags only.`];
  });
}
