//! Help for each command, and wrong use.

use crate::run::{carom, stderr, stdout};

#[test]
fn every_command_has_help_with_an_example() {
    let commands = [
        "demo",
        "check",
        "distance",
        "sweep",
        "ray",
        "trace",
        "info",
        "sdf",
        "simplify",
        "decompose",
        "pairs",
        "batch",
    ];
    for command in commands {
        let output = carom(&format!("{command} --help"));
        assert_eq!(output.status.code(), Some(0));
        let text = stdout(&output);
        assert!(
            text.contains("Example") && text.contains(&format!("carom {command}"))
                || text.contains("| carom batch"),
            "{text}"
        );
        assert!(stdout(&carom("--help")).contains(command));
    }
    assert_eq!(carom("--version").status.code(), Some(0));
}

#[test]
fn wrong_use_is_an_error() {
    for arguments in [
        "",
        "juggle",
        "distance",
        "distance sphere:1",
        "sweep sphere:1 sphere:1",
        "check",
        "ray cube.obj",
        "trace level.map --from 0,0,0",
        "check scene.json --nonsense",
    ] {
        let output = carom(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(!stderr(&output).is_empty() && output.stdout.is_empty());
    }
}
