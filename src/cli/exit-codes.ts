// What the process says when it ends, in one table. The numbers are those of sysexits.h where one
// fits, so that a supervisor can tell "do not restart, fix the configuration" from "try again".

export const EXIT = {
  ok: { code: 0, meaning: 'Everything went as asked; after SIGTERM, all streams were drained or their time was up.' },
  different: {
    code: 1,
    meaning:
      '`replay` found a figure that differs, or a line that it could not check; `doctor` found a fault; `report` left lines out that it could not read; `probe` found that text is held; `grade --strict` found something bad; `load` found an objective missed.',
  },
  unsure: {
    code: 3,
    meaning:
      '`probe` cannot tell whether text is held; a longer answer may show it. `load` cannot judge an objective; more requests may.',
  },
  configuration: {
    code: 64,
    meaning: 'Wrong flag, variable, file or argument. All faults are listed; nothing was started.',
  },
  unavailable: {
    code: 69,
    meaning: 'Something the command needs cannot be had, such as a port in use, or an endpoint that streams.',
  },
  internal: { code: 70, meaning: 'A fault of rubato itself. Please report it.' },
} as const;
