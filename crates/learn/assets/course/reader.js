// A reader of portable PDBs: README.md has the exercises.

const fs = require("fs");
const path = require("path");

const exercises = {
  // Exercise 1: data is a Buffer; data[0] is its first byte.
  guid(data) {
    throw new Error("not written yet");
  },
  rsds(data) {
    throw new Error("not written yet");
  },
  unsigned(data) {
    throw new Error("not written yet");
  },
  signed(data) {
    throw new Error("not written yet");
  },
  root(data) {
    throw new Error("not written yet");
  },
  msf(data) {
    throw new Error("not written yet");
  },
  pdb(data) {
    throw new Error("not written yet");
  },
  tables(data) {
    throw new Error("not written yet");
  },
  points(data) {
    throw new Error("not written yet");
  },
  layout(data) {
    throw new Error("not written yet");
  },
  documents(data) {
    throw new Error("not written yet");
  },
  methods(data) {
    throw new Error("not written yet");
  },
  frames(data) {
    throw new Error("not written yet");
  },
  bounds(data) {
    throw new Error("not written yet");
  },
  symbols(data) {
    throw new Error("not written yet");
  },
  mdb(data) {
    throw new Error("not written yet");
  },
  c13(data) {
    throw new Error("not written yet");
  },
  program(data) {
    throw new Error("not written yet");
  },
  addresses(data) {
    throw new Error("not written yet");
  },
};

const answers = {};
for (const file of process.argv.slice(2)) {
  const exercise = path.basename(path.dirname(file));
  const key = exercise + "/" + path.basename(file, ".bin");
  try {
    answers[key] = exercises[exercise](fs.readFileSync(file));
  } catch (error) {
    if (error.message !== "not written yet") console.error(error);
    answers[key] = { error: String(error.message) };
  }
}
console.log(JSON.stringify(answers));
